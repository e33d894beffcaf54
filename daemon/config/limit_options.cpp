#include "daemon/config/option_table.h"

namespace glimpse {

namespace {

using Types = OptionTypes<Configuration>;

bool headers_fit(const Configuration& c) { return c.max_header_bytes <= std::size_t{1} << 30; }

}  // namespace

std::vector<DaemonOption> limit_options() {
  return {
      {.name = "max-line",
       .value = "SIZE",
       .sentence = "longest line",
       .standard = "16MiB",
       .details =
           R"(Longest line on a stream door, in bytes; a longer one closes its connection. A connection's buffer
may grow to this.)",
       .type = Types::bytes(at(&Configuration::max_line_bytes))},
      {.name = "max-header",
       .value = "SIZE",
       .sentence = "all headers of an HTTP request together",
       .standard = "16KiB",
       .details = R"(All headers of an HTTP request together, its first line included.)",
       .type = Types::bytes(at(&Configuration::max_header_bytes)),
       .rules = {{headers_fit, "must be at most 1GiB"}}},
      {.name = "max-body",
       .value = "SIZE",
       .sentence = "largest HTTP body",
       .standard = "16MiB",
       .details =
           R"(Largest body of an HTTP request. While it is worked on, a request takes at most 16 times its body,
the answer to it included, and 96 MiB beside, which a single JSON text of a million values needs.
'max-unfinished' bounds the bodies of all requests together. A larger body holds nobody up: it is
worked off in parts; but one record (a line, a row, an element) is read in one go, so that larger
ones make others wait for longer.)",
       .type = Types::bytes(at(&Configuration::max_body_bytes))},
      {.name = "queue",
       .value = "SIZE",
       .sentence = "bytes read but not learned yet, before reading pauses",
       .standard = "16MiB",
       .details =
           R"(Read but not learned yet, over all doors. Beyond it reading pauses; nothing is dropped.)",
       .type = Types::bytes(at(&Configuration::queue_bytes))},
      {.name = "max-connections",
       .value = "N",
       .sentence = "open connections on all doors",
       .standard = "10000",
       .details =
           R"(Open connections on all doors together. More are turned away; 32 on the HTTP door are not, so that
an operator gets in. An idle one takes about 2 KiB and a descriptor; glimpsed asks the system for as
many of these as it needs (LimitNOFILE= of the unit is the most that it gets).)",
       .type = Types::whole(at(&Configuration::max_connections), 1, 1000000),
       .reload = Reload::kNow},
      {.name = "max-connections-per-address",
       .value = "N",
       .sentence = "open connections from one IP address; 0: no limit, the default (100 with --allow-remote)",
       .example = "0",
       .details =
           R"(Open connections from one IP address; an IPv6 address counts as its /64, as who has one has all of
these. 0: no limit. Default: no limit, and 100 with 'allow-remote'. Unix sockets do not count.)",
       .type = Types::whole(at(&Configuration::max_connections_per_address), 0, 1000000),
       .reload = Reload::kNow},
      {.name = "max-requests",
       .value = "N",
       .sentence = "requests on one HTTP connection; default 0: no limit",
       .standard = "0",
       .details = R"(Requests on one HTTP connection, before it is closed. 0: no limit.)",
       .type = Types::whole(at(&Configuration::max_requests), 0, 1000000000000),
       .rules = {{has_http, "has no effect without --http ADDRESS"}},
       .reload = Reload::kNow},
      {.name = "max-sources",
       .value = "N",
       .sentence = "named sources that are known",
       .standard = "1000",
       .details =
           R"(Sources that are known by name (stream connections that begin with '#glimpse source=NAME', and
stdin-source). Each is kept in every checkpoint for good, with its name and its first line: to
forget one would be to learn it twice. More are refused; those of a restored checkpoint are kept in
any case.)",
       .type = Types::whole(at(&Configuration::max_sources), 1, 1000000),
       .rules = {{keeps_state, kNoCheckpoints}}},
      {.name = "max-opening",
       .value = "SIZE",
       .sentence = "what is kept of a named source's beginning, such as a header",
       .standard = "256KiB",
       .details =
           R"(What is kept of a named source's beginning, in every checkpoint: its header, or the records up to
the first that can be read. A longer first record is refused, and the next is the first.
'max-sources' times this is the most that strangers to whom learning is allowed can make checkpoints
grow.)",
       .type = Types::bytes(at(&Configuration::max_opening_bytes)),
       .rules = {{keeps_state, kNoCheckpoints}}},
      {.name = "max-compared",
       .value = "N",
       .sentence = "checkpoints that answer beside the newest model (?checkpoint=NAME), in memory at once",
       .standard = "2",
       .details =
           R"(Checkpoints whose models answer requests with ?checkpoint=NAME: each takes the memory of one more
learner and a thread, until others need its place or nobody has asked for five minutes. More: who
compares several waits less; 0: none is answered from. Promotion is not bounded by it.)",
       .type = Types::whole(at(&Configuration::max_compared), 0, 100),
       .rules = {{keeps_state, kNoCheckpoints}}},
      {.name = "compared-memory",
       .value = "SIZE",
       .sentence = "of the files of these checkpoints together",
       .standard = "1GiB",
       .details =
           R"(Bytes that the files of these checkpoints have together; in memory their learners take about as much,
and as much again for a moment while one is read. A larger checkpoint is refused (413).)",
       .type = Types::bytes(at(&Configuration::compared_bytes)),
       .rules = {{keeps_state, kNoCheckpoints}}},
      {.name = "max-unfinished",
       .value = "SIZE",
       .sentence = "lines that are not whole, over all connections, and as much of HTTP bodies",
       .standard = "256MiB",
       .details =
           R"(Lines that have begun to come and are not whole, over all stream connections; and as much again of
HTTP bodies, from their first byte to the answer (of each what is beyond 64 KiB). A connection that
goes beyond it is closed, a request answered 503; memory may be twice that.)",
       .type = Types::bytes(at(&Configuration::max_unfinished_bytes)),
       .reload = Reload::kNow},
      {.name = "max-unread",
       .value = "SIZE",
       .sentence = "answers of HTTP that have not left, over all connections",
       .standard = "256MiB",
       .details =
           R"(Answers of HTTP that have not left, over all connections (of each what is beyond 64 KiB). Where
clients do not take theirs, others are told so (503) in place of what would go beyond it, until
'http-timeout' ends those who do not read. One answer alone may be larger, as that of a large model,
and what was changed is always answered.)",
       .type = Types::bytes(at(&Configuration::max_unread_bytes)),
       .reload = Reload::kNow},
      {.name = "greeting-timeout",
       .value = "TIME",
       .sentence = "for a stream connection to show its token, or to end a greeting; default 10s, 0: never",
       .standard = "10s",
       .details =
           R"(For a stream connection on TCP to show its token, where tokens are asked for, and for any to end a
greeting that it began. 0: never. Rows (f32) that could all be text are waited with for as long, in
case a line of HTTP comes of them.)",
       .type = Types::duration(at(&Configuration::greeting_timeout)),
       .reload = Reload::kNow},
      {.name = "http-timeout",
       .value = "TIME",
       .sentence = "for an HTTP request to arrive or its answer to leave",
       .standard = "30s",
       .details = R"(For an HTTP request to arrive, and for its answer to leave; and for a TLS handshake.)",
       .type = Types::duration(at(&Configuration::http_timeout)),
       .reload = Reload::kNow},
      {.name = "idle-timeout",
       .value = "TIME",
       .sentence = "close a stream connection on which nothing moves for this long; default 0: never",
       .standard = "0",
       .details =
           R"(Close a stream connection on which nothing moved for this long: no byte came in, and no reply was
taken. 0: never. Frees the places of clients that are gone without a word; too short a time cuts off
clients that have little to say. Time in which glimpsed itself pauses reading does not count. Where
a client's machine vanished, or the way to it, the system notices by itself: it asks after TCP peers
that were silent for 60 s, and ends a connection after six questions, 10 s apart, that nobody
answers.)",
       .type = Types::duration(at(&Configuration::idle_timeout)),
       .reload = Reload::kNow},
  };
}

}  // namespace glimpse
