#include "daemon/config/described_options.h"

#include <string>
#include <vector>

#include <boost/program_options/value_semantic.hpp>

namespace glimpse {

namespace po = boost::program_options;

po::options_description described_options() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<std::vector<std::string>>()->value_name(name); };

  po::options_description model("The learner", 100);
  model.add_options()("dimension", text("D"),
                      "attributes of an example; needed, unless a checkpoint is restored")(
      "budget", text("K"), "attributes to look at in each example, from 2")(
      "algorithm", text("NAME"),
      "auto (default): pairwise where --pair-memory holds the pairs of attributes, pairwise-screened beyond, "
      "two-phase-ddaerr where an option of it is given; or pairwise, pairwise-screened; aerr, ddaerr, "
      "two-phase-ddaerr, online-ridge; aelr, ddaelr, two-phase-ddaelr, online-lasso; aer, baseline")(
      "step", text("S"),
      "step size: auto (default), theory (needs --horizon), a number, or adagrad[:NUMBER]")(
      "radius", text("B"),
      "keep the weights in a ball of this radius; default: no limit; the lasso learners, aer and baseline "
      "need it")("ball", text("WHICH"),
                 "the radius' ball: l2 (default) or l1, for pairwise; others have one of them")(
      "horizon", text("M"), "how many examples will come, where it is known")(
      "phase1", text("N"),
      "length of the uniform phase: auto (default), examples, or a share of the horizon (10%)")(
      "phase1-radius", text("B"), "the radius in the uniform phase; default: --radius")(
      "phase1-step", text("S"), "the number of the step in the uniform phase; default: that of --step")(
      "delta", text("P"), "confidence level of --confidence theory; default 0.01")(
      "confidence", text("E"), "added to estimated second moments: theory or a number; default 0")(
      "half-norm", text("H"),
      "the sum of root second moments, squared, where it is known (for --step theory)")(
      "split", text("WHICH"), "draws for the two estimators: even (default) or paper (K-1 and 1)")(
      "inner-sampling", text("WHICH"), "inner-product draws: improved (default) or plain")(
      "draws", text("WHICH"),
      "pairs (default): every pair of draws serves both estimators; separate: a set for each, as in the "
      "papers")("control-variates", text("on|off"),
                "draw deviations from the means in place of the attributes themselves; default on where "
                "there is a bias")("bias", text("on|off"),
                                   "learn an intercept that costs no attribute; default on")(
      "pair-memory", text("SIZE"),
      "largest size of the pairs' moments of pairwise and pairwise-screened; default 1GiB")(
      "active", text("A"),
      "pairwise-screened: keep the pairs of at most so many attributes; default 2048, or what fits "
      "--pair-memory")("half-life", text("N"),
                       "forget: what is N examples old counts half; default: nothing is forgotten")(
      "outliers", text("bound|keep"),
      "values and labels far beyond all that were seen: bounded until more of them come, or learned from as "
      "they are; "
      "default bound")("max-importance", text("C"),
                       "an example of more importance counts for this; default: no bound")(
      "drift", text("off|auto"),
      "auto: notice when the stream's law changes, and forget what came before; default off")(
      "seed", text("N"), "of the random draws; default 1")(
      "moments", text("FILE"),
      "known second moments, for ddaerr and ddaelr: CSV with columns attribute, second_moment")(
      "attributes", text("FILE"), "names of the attributes, one a line");

  po::options_description buying("Buying attributes", 100);
  buying.add_options()("costs", text("FILE"),
                       "what attributes cost, a line each: ATTRIBUTE PRICE [GROUP]; default: 1 each")(
      "budget-cost", text("C"), "no example's attributes cost more together; needs --costs")(
      "total-budget", text("N"), "stop buying once so many attributes were bought")(
      "total-cost", text("C"), "stop buying once so much was paid")(
      "max-plans", text("N"), "plans of /v1/ask that may be open at once; default 100000")(
      "plan-ttl", text("TIME"), "how long a plan waits for its values; default 7d");

  po::options_description doors("Doors", 100);
  doors.add_options()(
      "input", texts("-|FILE"),
      "read examples from standard input or a file; may be repeated: files are read in the order given")(
      "stdin-source", text("NAME"),
      "standard input is this source, always from its beginning: what the restored state holds of it is "
      "skipped")("listen", texts("ADDRESS"),
                 "stream door: tcp:HOST:PORT, unix:PATH or systemd:NAME; may be repeated")(
      "http", text("ADDRESS"), "HTTP door: HOST:PORT, unix:PATH or systemd:NAME")(
      "serve", "keep serving after the last --input has ended, or could not be read on")(
      "allow-remote", "open TCP doors on other addresses than loopback ones; needs --token-file")(
      "token-file", text("FILE"),
      "on TCP doors a token is needed: lines 'read TOKEN' and 'write TOKEN'; default: nobody needs one")(
      "socket-group", text("GROUP"),
      "who may use Unix sockets beside their owner; default: the process' group")(
      "tls-cert", text("FILE"), "TLS on the TCP doors: the certificate and those behind it, PEM")(
      "tls-key", text("FILE"), "and its private key, PEM")(
      "format", text("F"), "auto (default), svmlight, vw, csv, ndjson, f32 or npy")(
      "index-base", text("0|1"), "what svmlight calls the first attribute; default 1")(
      "label-column", text("N"), "column of the label in CSV, from 0; default 0")(
      "delimiter", text("C"), "between CSV fields: ',' (default), ';', tab or space")(
      "validate", text("WHICH"),
      "of a labelled line, the planned values must be readable (planned, default) or all of them (full)")(
      "replies", text("WHICH"), "reply to unlabelled lines (default), all or none")(
      "clip", text("WHICH"),
      "clip predictions to the labels learned from (auto, default; pairwise: and attributes to 1.5 times the "
      "largest value seen, wild values to the mean), to LO:HI, or not (off)")(
      "solver", text("WHERE"),
      "pairwise and pairwise-screened solve for their model inline (the same predictions each time), in the "
      "background (nobody waits), "
      "or auto (default): in the background where there is a door and more than 128 attributes")(
      "strict", "stop at the first line that cannot be read");

  po::options_description durability("Durability", 100);
  durability.add_options()("state-directory", text("DIR"),
                           "where checkpoints are kept; without it nothing survives a restart")(
      "checkpoint-every", text("TIME"), "time between checkpoints; default 30s")(
      "checkpoint-examples", text("N"), "examples between checkpoints; default 0: by time only")(
      "checkpoint-share", text("P%"),
      "of the time, at most so much goes into checkpoints that senders of named sources ask for; default "
      "50%")("checkpoint-keep", text("N"), "checkpoints kept; default 3")(
      "restore", text("WHICH"), "auto (default: the newest), never, or a checkpoint's path");

  po::options_description limits("Limits", 100);
  limits.add_options()("max-line", text("SIZE"), "longest line; default 16MiB")(
      "max-header", text("SIZE"), "all headers of an HTTP request together; default 16KiB")(
      "max-body", text("SIZE"), "largest HTTP body; default 16MiB")(
      "queue", text("SIZE"), "bytes read but not learned yet, before reading pauses; default 16MiB")(
      "max-connections", text("N"), "open connections on all doors; default 10000")(
      "max-connections-per-address", text("N"),
      "open connections from one IP address; 0: no limit, the default (100 with --allow-remote)")(
      "max-requests", text("N"), "requests on one HTTP connection; default 0: no limit")(
      "max-sources", text("N"), "named sources that are known; default 1000")(
      "max-opening", text("SIZE"),
      "what is kept of a named source's beginning, such as a header; default 256KiB")(
      "max-unfinished", text("SIZE"),
      "lines that are not whole, over all connections, and as much of HTTP bodies; default 256MiB")(
      "max-unread", text("SIZE"), "answers of HTTP that have not left, over all connections; default 256MiB")(
      "greeting-timeout", text("TIME"),
      "for a stream connection to show its token, or to end a greeting; default 10s, 0: never")(
      "http-timeout", text("TIME"), "for an HTTP request to arrive or its answer to leave; default 30s")(
      "idle-timeout", text("TIME"),
      "close a stream connection on which nothing moves for this long; default 0: never");

  po::options_description general("General", 100);
  general.add_options()("config", text("FILE"),
                        "read options from a file of lines 'name = value'; the command line wins")(
      "progress", "print a table of progress (default: when standard error is a terminal)")(
      "log-level", text("LEVEL"), "debug, info (default), warning or error")("help", "print this")(
      "version", "print the version");

  po::options_description all;
  all.add(model).add(buying).add(doors).add(durability).add(limits).add(general);
  return all;
}

}  // namespace glimpse
