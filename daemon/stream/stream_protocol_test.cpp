#include "daemon/stream/stream_protocol.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "daemon/ingest/record_buffer.h"

namespace stream_protocol_test {

using namespace glimpse;

namespace {

using Phase = StreamProtocol::Phase;
using Deadline = StreamProtocol::Deadline;

std::shared_ptr<Feed> feed_of(Framing framing) {
  auto feed = std::make_shared<Feed>();
  feed->door = std::make_shared<Door>();
  feed->framing = framing;
  feed->error_replies = ErrorReplies::kAll;
  return feed;
}

StreamGate open_gate() {
  return {
      .access = [](auto, bool) { return Access::kWrite; }, .asks = false, .timeout = std::chrono::seconds(1)};
}

/// A protocol and a trainer that does what the test says.
struct Peer {
  explicit Peer(Framing framing = Framing::lines(100), const StreamGate& gate = open_gate(),
                const std::string& source_refusal = "")
      : feed(feed_of(framing)), protocol(feed, gate, source_refusal, buffers, unfinished) {}

  /// Bytes come from the peer, as many at once as there is room for.
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::span<char> room = protocol.room();
      const std::size_t count = std::min(room.size(), bytes.size());
      std::copy_n(bytes.begin(), count, room.begin());
      protocol.received(count);
      bytes.remove_prefix(count);
    }
  }
  /// All blocks that can be cut go to the trainer.
  std::vector<std::string> queue() {
    std::vector<std::string> blocks;
    while (const std::optional<Block> block = protocol.take_block()) blocks.emplace_back(block->bytes.view);
    return blocks;
  }
  void open(std::uint64_t inside = 0, std::uint64_t durable = 0) {
    REQUIRE(protocol.take_opening());
    protocol.opened({}, feed->framing, inside, durable);
  }
  /// What the peer is told, taken at once.
  std::string told() {
    std::string told(protocol.begin_write());
    protocol.written();
    return told;
  }

  BufferPool buffers{256, 4};
  SharedBytes unfinished;
  std::shared_ptr<Feed> feed;
  StreamProtocol protocol;
};

}  // namespace

TEST_CASE("a source of which nothing could be read ends with the first record and why") {
  for (const bool stopped : {false, true}) {
    Peer peer;
    peer.send("#glimpse source=s contents=1\n1,2\n3,4\n");
    REQUIRE(peer.protocol.take_opening());
    peer.protocol.opened({}, peer.feed->framing, 5, 5, 77);
    CHECK(peer.told() == "contents 77\nresume 5\ndurable 5\n");
    CHECK(peer.queue().size() == 1);
    stopped ? peer.protocol.stop() : peer.protocol.input_ended();
    peer.protocol.block_done("error: line 6: why\nerror: line 7: too\n", 5, 8, false, "line 6: why");
    const std::string told = peer.told();
    CHECK(told.starts_with("error: line 6: why\nerror: line 7: too\n"));
    CHECK(told.ends_with(
              "error: line 6: why; no record of the source could be read so far, and it still begins "
              "with this one; closing\n") != stopped);
    CHECK(peer.protocol.is_done());
  }
}

TEST_CASE("records are cut into blocks, replies come back, and the end closes") {
  Peer peer;
  peer.send("1,2\n3,4\n5,");
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n3,4\n"});
  peer.send("6\n");
  CHECK(peer.queue() == std::vector<std::string>{"5,6\n"});
  peer.protocol.input_ended();
  CHECK_FALSE(peer.protocol.is_done());
  peer.protocol.block_done("0.5\n", 0, 8, false);
  peer.protocol.block_done("0.25\n", 0, 4, false);
  CHECK_FALSE(peer.protocol.is_done());
  CHECK(peer.told() == "0.5\n0.25\n");
  CHECK(peer.protocol.is_done());
  CHECK_FALSE(peer.protocol.lingers());
}

TEST_CASE("a record that was cut off goes to the trainer as such") {
  Peer peer;
  peer.send("1,2\n3,");
  peer.queue();
  peer.protocol.input_ended();
  CHECK_FALSE(peer.protocol.wants_read());
  std::optional<Block> tail = peer.protocol.take_block();
  REQUIRE(tail);
  CHECK(tail->cut_off);
  CHECK(tail->bytes.view == "3,");
}

TEST_CASE("reading pauses while a block waits, while enough are with the trainer, and while replies lie") {
  Peer peer;
  peer.send("1,2\n");
  std::optional<Block> block = peer.protocol.take_block();
  REQUIRE(block);
  peer.protocol.put_back(std::move(*block));
  CHECK_FALSE(peer.protocol.wants_read());
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n"});
  CHECK(peer.protocol.wants_read());
  for (std::size_t more = 1; more < StreamProtocol::kMostInFlight; ++more) {
    CHECK(peer.protocol.wants_read());
    peer.send("1,2\n");
    peer.queue();
  }
  CHECK_FALSE(peer.protocol.wants_read());
  peer.protocol.block_done(std::string(StreamProtocol::kMostUnsent + 1, 'x'), 0, 4, false);
  CHECK_FALSE(peer.protocol.wants_read());
  peer.protocol.begin_write();
  CHECK_FALSE(peer.protocol.wants_read());
  CHECK(peer.protocol.begin_write().empty());  // one write at a time
  peer.protocol.written();
  CHECK(peer.protocol.wants_read());
}

TEST_CASE("a line over the limit ends the connection with an error line") {
  Peer peer(Framing::lines(5));
  peer.send("1,2\n1234567890");
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n"});
  CHECK(peer.protocol.take_error());
  CHECK_FALSE(peer.protocol.take_error());
  CHECK_FALSE(peer.protocol.wants_read());
  CHECK_FALSE(peer.protocol.is_done());  // what was queued is answered first
  peer.protocol.block_done("0.5\n", 0, 4, false);
  const std::string told = peer.told();
  CHECK(told.starts_with("error: "));
  CHECK(told.ends_with("0.5\n"));
  CHECK(peer.protocol.is_done());
  CHECK(peer.protocol.lingers());
}

TEST_CASE("a request of HTTP and a TLS handshake are refused, and nothing of them is learned") {
  for (const char* bytes : {"GET / HTTP/1.1\r\n\r\n1,2\n", "get-out / http/1.0\n1,2\n", "\x16\x03\x01\n"}) {
    CAPTURE(bytes);
    Peer peer;
    peer.send(bytes);
    CHECK(peer.queue().empty());
    CHECK(peer.protocol.take_error());
    CHECK(peer.told().starts_with("error: "));
    CHECK(peer.protocol.is_done());
  }
}

TEST_CASE("a door that asks for a token waits for it until its deadline") {
  StreamGate gate = open_gate();
  gate.asks = true;
  gate.access = [](std::optional<std::string_view> token, bool) {
    return !token ? Access::kNone : *token == "reader" ? Access::kRead : Access::kLearn;
  };
  Peer none(Framing::lines(100), gate);
  CHECK(none.protocol.deadline() == Deadline::kGreeting);
  none.protocol.time_is_up(Deadline::kGreeting);
  CHECK(none.told() == "error: the first line '#glimpse ...' did not come whole in time; closing\n");
  Peer wrong(Framing::lines(100), gate);
  wrong.send("1,2\n");
  CHECK(wrong.told().find("needs a token") != std::string::npos);
  Peer reader(Framing::lines(100), gate);
  reader.send("#glimpse token=reader\n1,2\n");
  CHECK_FALSE(reader.feed->may_learn);
  CHECK(reader.queue() == std::vector<std::string>{"1,2\n"});
  Peer teacher(Framing::lines(100), gate);
  teacher.send("#glimpse token=teacher\n1,2\n");
  CHECK(teacher.feed->may_learn);
  Peer source(Framing::lines(100), gate);
  source.send("#glimpse token=reader source=a\n");
  CHECK_FALSE(source.protocol.take_opening());
  CHECK(source.told().find("may read only") != std::string::npos);
}

TEST_CASE("a greeting may come a byte at a time, and has a deadline from its first one on") {
  Peer peer;
  CHECK(peer.protocol.deadline() == Deadline::kNone);
  const std::string greeting = "#glimpse source=a memory=100\n";
  for (const char c : greeting) {
    CHECK(peer.protocol.wants_read());
    peer.send({&c, 1});
    if (c != '\n') CHECK(peer.protocol.deadline() == Deadline::kGreeting);
  }
  CHECK(peer.protocol.phase() == Phase::kOpening);
  CHECK(peer.protocol.deadline() == Deadline::kNone);
  CHECK_FALSE(peer.protocol.wants_read());
  peer.open(7, 3);
  CHECK(peer.told() == "resume 7\ndurable 3\n");
  CHECK(peer.protocol.wants_read());
}

TEST_CASE("records behind the greeting wait until the source is open") {
  Peer peer;
  peer.send("#glimpse source=a\n1,2\n");
  CHECK(peer.queue().empty());
  peer.open();
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n"});
  Peer refused;
  refused.send("#glimpse source=a\n1,2\n");
  refused.protocol.take_opening();
  refused.protocol.opened(failure(ErrorCode::kMismatch, "it is another's"), refused.feed->framing, 0, 0);
  CHECK(refused.queue().empty());
  CHECK(refused.told() == "error: it is another's; closing\n");
  Peer nowhere(Framing::lines(100), open_gate(), "there is no folder");
  nowhere.send("#glimpse source=a\n");
  CHECK(nowhere.told() == "error: there is no folder; closing\n");
}

TEST_CASE("a source's connection stays until all of it is durable") {
  Peer peer;
  peer.send("#glimpse source=a\n");
  peer.open();
  CHECK(peer.told() == "resume 0\n");
  peer.send("1,2\n");
  peer.queue();
  peer.protocol.input_ended();
  CHECK_FALSE(peer.protocol.wants_checkpoint());  // a block is with the trainer
  peer.protocol.block_done("", 1, 4, false);
  CHECK(peer.protocol.wants_checkpoint());
  peer.protocol.checkpoint_asked();
  CHECK_FALSE(peer.protocol.wants_checkpoint());
  peer.protocol.checkpoint_begins();
  CHECK_FALSE(peer.protocol.is_done());
  CHECK(peer.protocol.is_busy());
  peer.protocol.durable(1);
  peer.protocol.checkpoint_ended({});
  CHECK(peer.told() == "durable 1\n");
  CHECK(peer.protocol.is_done());
}

TEST_CASE("a checkpoint that failed is told and asked for again") {
  Peer peer;
  peer.send("#glimpse source=a memory=0\n");
  peer.open();
  peer.send("1,2\n");
  peer.queue();
  peer.protocol.input_ended();
  peer.protocol.block_done("", 1, 4, false);
  peer.protocol.checkpoint_asked();
  CHECK(peer.told() == "resume 0\ncheckpoint pending\n");
  peer.protocol.checkpoint_pending();
  CHECK(peer.told() == "checkpoint pending\n");
  peer.protocol.checkpoint_ended(failure(ErrorCode::kUnavailable, "no space"));
  CHECK(peer.told() == "checkpoint failed: no space\n");
  CHECK(peer.protocol.wants_checkpoint());
}

TEST_CASE("a peer that takes nothing is not told again that a checkpoint is still to come") {
  Peer peer;
  peer.send("#glimpse source=a memory=0\n");
  peer.open();
  peer.protocol.checkpoint_pending();
  peer.protocol.checkpoint_pending();
  CHECK(peer.told() == "resume 0\n");
}

TEST_CASE("a source that another connection carries ends this one") {
  Peer peer;
  peer.send("#glimpse source=a\n");
  peer.open();
  peer.send("1,2\n");
  peer.queue();
  peer.protocol.give_up("another connection carries the source now");
  CHECK_FALSE(peer.protocol.is_done());
  peer.protocol.block_done("", 1, 4, false);
  CHECK(peer.told() == "resume 0\nerror: another connection carries the source now; closing\n");
  CHECK_FALSE(peer.protocol.wants_checkpoint());
  CHECK(peer.protocol.is_done());
}

TEST_CASE("rows that look like text wait for a line, for their deadline or for their end") {
  Peer late(Framing::rows(4));
  late.send("abcdabcd");
  CHECK(late.queue().empty());
  CHECK(late.protocol.deadline() == Deadline::kFirstLine);
  late.protocol.time_is_up(Deadline::kGreeting);  // an earlier one
  CHECK(late.queue().empty());
  late.protocol.time_is_up(Deadline::kFirstLine);
  CHECK(late.queue() == std::vector<std::string>{"abcdabcd"});
  Peer ended(Framing::rows(4));
  ended.send("abcdab");
  ended.protocol.input_ended();
  CHECK(ended.queue() == std::vector<std::string>{"abcd"});
  CHECK(ended.protocol.wants_read());
  ended.protocol.input_ended();
  CHECK(ended.queue() == std::vector<std::string>{"ab"});
  CHECK_FALSE(ended.protocol.wants_read());
}

TEST_CASE("unfinished records count against a limit of all connections until they are whole") {
  Peer peer(Framing::lines(std::size_t{1} << 20));
  peer.unfinished.limit = 1000;
  peer.send(std::string(StreamProtocol::kFreeUnfinished + 1000, '1'));
  CHECK(peer.queue().empty());
  CHECK(peer.unfinished.total() == 1000);
  peer.send("1");
  CHECK(peer.queue().empty());
  CHECK(peer.told().find("--max-unfinished 1000") != std::string::npos);
  CHECK(peer.unfinished.total() == 0);
}

TEST_CASE("stopping answers what was queued and reads nothing more") {
  Peer peer;
  peer.send("1,2\n3");
  peer.queue();
  peer.protocol.stop();
  CHECK_FALSE(peer.protocol.wants_read());
  CHECK(peer.queue().empty());
  peer.protocol.block_done("0\n", 0, 4, false);
  CHECK(peer.told() == "0\n");
  CHECK(peer.protocol.is_done());
  Peer opening;
  opening.send("#glimpse source=a\n");
  opening.protocol.stop();
  CHECK_FALSE(opening.protocol.take_opening());
  CHECK(opening.protocol.is_done());
}

TEST_CASE("a closed connection's waiting block still reaches the queue that promised it room") {
  Peer peer;
  peer.send("1,2\n");
  std::optional<Block> block = peer.protocol.take_block();
  REQUIRE(block);
  peer.protocol.put_back(std::move(*block));
  peer.protocol.close();
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n"});
  peer.protocol.block_done("0\n", 0, 4, false);
  CHECK_FALSE(peer.protocol.is_done());
  CHECK_FALSE(peer.protocol.wants_read());
}

TEST_CASE("a token that is taken away ends its connection behind the replies to what was sent") {
  Access access = Access::kLearn;
  int checks_again = 0;
  const StreamGate gate{.access =
                            [&](auto token, bool again) {
                              checks_again += again ? 1 : 0;
                              return token == "t" ? access : Access::kNone;
                            },
                        .asks = true,
                        .timeout = std::chrono::seconds(1)};
  Peer peer(Framing::lines(100), gate);
  peer.send("#glimpse token=t\n1,2\n3,4\n5,");
  CHECK(peer.queue() == std::vector<std::string>{"1,2\n3,4\n"});
  CHECK_FALSE(peer.protocol.tokens_changed());
  access = Access::kNone;
  CHECK(peer.protocol.tokens_changed());
  CHECK_FALSE(peer.protocol.tokens_changed());
  CHECK_FALSE(peer.protocol.wants_read());
  CHECK(peer.told().empty());
  CHECK_FALSE(peer.protocol.is_done());
  peer.protocol.block_done("0.5\n", 0, 8, false, {}, 2);
  CHECK(
      peer.told() ==
      "0.5\nerror: this token is not known here any more; examples learned on this connection: 2; closing\n");
  CHECK(checks_again == 2);
  CHECK(peer.protocol.is_done());
  CHECK(peer.protocol.lingers());
}

TEST_CASE("a source whose token is taken away is told what is inside, and what is durable once it is") {
  Access access = Access::kWrite;
  const StreamGate gate{
      .access = [&](auto, bool) { return access; }, .asks = true, .timeout = std::chrono::seconds(1)};
  Peer peer(Framing::lines(100), gate);
  peer.send("#glimpse token=t source=a memory=0\n");
  peer.open();
  peer.send("1,2\n3,4\n");
  CHECK(peer.queue().size() == 1);
  CHECK(peer.told() == "resume 0\n");
  access = Access::kLearn;
  CHECK_FALSE(peer.protocol.tokens_changed());
  access = Access::kRead;
  CHECK(peer.protocol.tokens_changed());
  peer.protocol.block_done("", 2, 8, false);
  REQUIRE(peer.protocol.wants_checkpoint());
  peer.protocol.checkpoint_asked();
  CHECK(peer.told() ==
        "checkpoint pending\nerror: this token may read only now; records inside: 2; closing\n");
  CHECK_FALSE(peer.protocol.is_done());
  peer.protocol.durable(2);
  CHECK(peer.told() == "durable 2\n");
  CHECK(peer.protocol.is_done());
}

TEST_CASE("new tokens leave a connection alone that has shown none yet, or may as much as before") {
  Access access = Access::kRead;
  const StreamGate gate{
      .access = [&](auto, bool) { return access; }, .asks = true, .timeout = std::chrono::seconds(1)};
  Peer silent(Framing::lines(100), gate);
  Peer reader(Framing::lines(100), gate);
  reader.send("#glimpse token=t\n|1\n");
  CHECK_FALSE(reader.protocol.tokens_changed());
  access = Access::kNone;
  CHECK_FALSE(silent.protocol.tokens_changed());
  CHECK(reader.protocol.tokens_changed());
}

}  // namespace stream_protocol_test
