#include "glimpsectl/command_line.h"

namespace glimpse::ctl {

std::string_view help_text() {
  return R"(usage: glimpsectl [--server tcp:HOST:PORT|unix:PATH] [--json] [--timeout 10s] COMMAND …

Asks a running glimpsed over its HTTP door, or looks into a checkpoint.

commands
  status                    what the daemon is doing
  model                     where the model comes from, and its weights of largest magnitude
      --format table|json|csv|safetensors   all but the table are the whole model (table)
      --fresh               wait for a model of this moment, where the newest may be a little older
      --output FILE         write to FILE, atomically, instead of standard output
      --top N               weights in the table (20)
  moments                   what is known of each attribute, those most likely to be looked at first
      --output FILE         write all of them to FILE, as CSV for glimpsed --moments FILE
      --top N               attributes in the table (20)
  predict [FILE|-]          one prediction a line, for examples of NDJSON lines or one JSON array:
                            {"values": [0.5, 2]} or {"values": {"3": 0.5}}
  learn [FILE|-]            learn from the lines of FILE, sent in pieces of whole lines, or from one
                            JSON array
      --format auto|svmlight|vw|csv|ndjson  of the examples to predict (ndjson) or learn (auto)
  send [FILE|-]             send FILE to the stream door under a name, so that each record is learned exactly
                            once: goes on behind what is inside, comes back to a daemon that was
                            restarted, and returns when all is durable; replies go to standard output
      --source NAME         the name of the stream
      --to ADDRESS          the daemon's --listen address (unix:/run/glimpse-stream.sock)
      --format F            f32 (with --dimension D) and npy are rows; all others are lines (auto)
      --patience TIME       how long nothing may move before it gives up, also before the daemon is there;
                            a checkpoint that it promised counts as moving until one fails (10m)
      --memory SIZE         bytes of a pipe to keep until they are durable; the daemon is asked for a
                            checkpoint when half of them are not (64MiB)
  checkpoint                write a checkpoint now; returns when it is durable
  checkpoint inspect FILE   verify a checkpoint and list what is in it; needs no daemon
  watch                     one line of progress, again and again; Ctrl-C ends it
      --every 1s            time between two lines (1s)
      --count N             end after N lines
  ask                       which attributes to buy of the next example: a plan, with its id
      --count N             plans (1)
      --available A,B,…     only these attributes, by name or number, can be had
      --ttl TIME            how long the plan waits for its values: 30m, 12h, 7d (the daemon's)
      --for prediction      instead, which attributes to buy next of an example to predict
      --known A=X,B=Y,…     its values that are known already
      --count N             attributes to choose
  tell [FILE|-]             the values and labels of plans, one a line or one JSON array:
                            {"id": "3f9a2b-1842", "label": 1, "values": {"age": 61}, "refused": [7]};
                            telling again what was told before does no harm
  plans                     the plans that are open
      --after ID            behind this one
      --limit N             at most (100)
  abandon ID…               plans whose attributes will not be bought
  help, version

options of all commands
  --server ADDRESS          the daemon's --http address: tcp:HOST:PORT or unix:PATH
                            ($GLIMPSE_SERVER, else unix:/run/glimpse/http.sock)
  --token-file FILE         the token to show, where the daemon asks for one
  --json                    print the daemon's answer as it is
  --timeout TIME            longest time without a sign of life of the server (10s); a number
                            with ms, s, m or h
  -h, --help; --version

exit status
  0  done
  1  the server answered with an error, or a file is bad, or cannot be read or written
  2  the command line is wrong
  3  the server cannot be reached, does not answer in time, or is not a glimpsed
)";
}

}  // namespace glimpse::ctl
