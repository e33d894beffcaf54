#include "glimpsectl/input_rows.h"

#include <fmt/format.h>

#include "data/text/source_name.h"
#include "glimpsectl/model_rows.h"
#include "glimpsectl/option_readers.h"

namespace glimpse::ctl {

namespace {

// What belongs to a topic, and what to a daemon.
Status settle_destination(CommandLine& line) {
  if (line.topic.empty()) {
    for (const char* option : {"kafka-property", "partition", "message-size", "commit-every"})
      if (line.has(option))
        return refused(fmt::format("--{} has no effect without --to kafka://HOST:PORT/TOPIC", option));
    return {};
  }
#ifndef GLIMPSE_HAS_KAFKA
  return refused(fmt::format(
      "--to '{}': this glimpsectl was built without Kafka (librdkafka, -DGLIMPSE_KAFKA=ON)", line.topic));
#else
  if (line.has("ca"))
    return refused("--ca is of no use to a topic: --kafka-property ssl.ca.location=FILE says whom to trust");
  if (line.has("token-file"))
    return refused("--token-file is of no use to a topic: --kafka-property sasl.password=@FILE is the like");
  const Status named = check_source_name("--source", line.source);
  return named ? named : refused(named.error().message);
#endif
}

Status settle_send(CommandLine& line) {
  if (line.has("server")) return refused("--server is of no use to send: --to names a stream door");
  if (line.json) return refused("--json is of no use to send: the replies are lines");
  if (line.source.empty())
    return refused("send must be told --source NAME, under which the daemon counts; stream needs none");
  if ((line.format == "f32") != (line.dimension > 0))
    return refused("--dimension and --format f32 belong together: rows have its singles and a label");
  return settle_destination(line);
}

Status settle_stream(CommandLine& line) {
  if (line.has("server")) return refused("--server is of no use to stream: --to names a stream door");
  if (line.json) return refused("--json is of no use to stream: the replies are lines");
  return {};
}

}  // namespace

CommandRow learn_row() {
  return {.name = "learn",
          .command = Command::kLearn,
          .arguments = "[FILE|-]",
          .sentence = "learn from the lines of FILE, sent in pieces of whole lines, or from one JSON array",
          .takes = CommandRow::Takes::kFile,
          .options = {examples_format("auto")}};
}

CommandRow send_row() {
  return {
      .name = "send",
      .command = Command::kSend,
      .arguments = "[FILE|-]",
      .sentence =
          "send FILE to the stream door, or to a topic of Kafka, under a name, so that each record is "
          "learned exactly once: goes on behind what is inside, comes back to a daemon that was restarted, "
          "and returns when all is durable; replies go to standard output",
      .takes = CommandRow::Takes::kFile,
      .door = CommandRow::Door::kStream,
      .options = {{.name = "source",
                   .value = "NAME",
                   .sentence = "the name of the stream",
                   .type = text_option(&CommandLine::source)},
                  {.name = "to",
                   .value = "ADDRESS",
                   .sentence = "the daemon's --listen address: tcp:HOST:PORT, tls:HOST:PORT or unix:PATH; or "
                               "a topic, kafka://HOST:PORT[,HOST:PORT]/TOPIC",
                   .standard = "unix:/run/glimpse-stream.sock",
                   .type = destination_option()},
                  {.name = "format",
                   .value = "F",
                   .sentence = "f32 (with --dimension) and npy are rows; auto, svmlight, vw, csv and ndjson "
                               "are lines",
                   .standard = "auto",
                   .type = format_option({"auto", "svmlight", "vw", "csv", "ndjson", "f32", "npy"})},
                  {.name = "dimension",
                   .value = "D",
                   .sentence = "attributes of a row of f32",
                   .type = count_option("dimension", &CommandLine::dimension)},
                  {.name = "wait",
                   .value = "TIME",
                   .sentence = "how long to wait for a daemon that is not up yet; else as --patience",
                   .type = duration_option("wait", &CommandLine::wait)},
                  {.name = "patience",
                   .value = "TIME",
                   .sentence =
                       "how long nothing may move before it gives up; a checkpoint that the daemon promised "
                       "counts as moving until one fails",
                   .standard = "10m",
                   .type = duration_option("patience", &CommandLine::patience)},
                  {.name = "memory",
                   .value = "SIZE",
                   .sentence = "bytes of a pipe to keep until they are durable; the daemon is asked for a "
                               "checkpoint when half of them are not",
                   .standard = "64MiB",
                   .type = size_option("memory", &CommandLine::memory)},
                  {.name = "kafka-property",
                   .value = "NAME=VALUE",
                   .sentence = "of a topic: a property of librdkafka, as security.protocol=ssl; secrets as "
                               "NAME=@FILE; may be repeated",
                   .type = texts_option(&CommandLine::kafka_properties)},
                  {.name = "partition",
                   .value = "N",
                   .sentence = "of a topic: all goes there; else messages go to its partitions in turn",
                   .type = partition_option()},
                  {.name = "message-size",
                   .value = "SIZE",
                   .sentence = "of a topic: a message is as many whole records as fit, or one; 1: one each",
                   .standard = "16KiB",
                   .type = size_option("message-size", &CommandLine::message_size)},
                  {.name = "commit-every",
                   .value = "TIME",
                   .sentence = "of a topic: its readers see what was sent so long after it came, at most",
                   .standard = "1s",
                   .type = duration_option("commit-every", &CommandLine::commit_every)}},
      .settle = settle_send};
}

CommandRow stream_row() {
  return {.name = "stream",
          .command = Command::kStream,
          .arguments = "[FILE|-]",
          .sentence =
              "FILE to the stream door as it is, and the replies to standard output, over one connection; "
              "nobody knows what of it is durable: send does",
          .takes = CommandRow::Takes::kFile,
          .door = CommandRow::Door::kStream,
          .options = {{.name = "to",
                       .value = "ADDRESS",
                       .sentence = "the daemon's --listen address",
                       .standard = "unix:/run/glimpse-stream.sock",
                       .type = address_option("to", true)}},
          .settle = settle_stream};
}

}  // namespace glimpse::ctl
