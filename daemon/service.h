#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "daemon/api/checkpoint_models.h"
#include "daemon/api/http_api.h"
#include "daemon/durability/checkpoint_desk.h"
#include "daemon/durability/checkpoint_schedule.h"
#include "daemon/durability/checkpointer.h"
#include "daemon/entrance.h"
#include "daemon/feed_setup.h"
#include "daemon/fleet_runtime.h"
#include "daemon/http/http_server.h"
#include "daemon/ingest/reply_writer.h"
#include "daemon/inputs.h"
#include "daemon/page/page.h"
#include "daemon/reading/reading_threads.h"
#include "daemon/startup.h"
#include "daemon/stream/stream_server.h"
#include "daemon/support/large_jobs.h"
#include "daemon/support/operation_memory.h"
#include "daemon/training/model_solver.h"
#include "daemon/training/trainer.h"
#include "daemon/training_log.h"
#include "daemon/upkeep.h"

namespace glimpse {

/// The running daemon: doors, trainer, checkpoints, signals and their order. run() returns the exit status.
/// Needs a SignalGuard: before open() comes to the doors, signals are its.
///
/// The end takes the same steps for every cause: reading stops; what was read is learned; replies leave; a
/// last checkpoint is written; a summary is logged.
class Service {
 public:
  /// `arguments`: the command line, read again on SIGHUP.
  Service(Configuration configuration, std::vector<std::string> arguments, Prepared prepared);
  ~Service();

  /// Opens every door and input. Nothing flows before run(). Errors name the option.
  Status open();
  int run();

 private:
  std::shared_ptr<Door> add_door(const std::string& name, const std::string& kind);
  std::shared_ptr<Feed> make_feed(const std::shared_ptr<Door>& door, const BodyReading& reading,
                                  const std::string& addressable_name = {},
                                  const std::optional<RecordForm>& sampled = std::nullopt) {
    return make_feed_of(started_, *prepared_.processor, door, reading, addressable_name, sampled,
                        table_form_);
  }
  std::shared_ptr<Feed> make_feed(StreamProcessor& processor, const std::shared_ptr<Door>& door,
                                  const BodyReading& reading, const std::string& addressable_name = {}) {
    return make_feed_of(started_, processor, door, reading, addressable_name, std::nullopt, table_form_);
  }
  void open_api();
  CheckpointModels::Rebuild rebuild() const;
  Status open_inputs();
  void find_renamed_inputs();
  Status open_fleet();
  std::string fleet_address() const;
  void open_topic(Topic& topic);
  Status write_first_checkpoint();
  void make_asked_checkpoint(std::function<void(const Status&)> done);
  void start_trainer();
  void await_signals();
  void reload();
  Status reread();
  void input_ended(const std::shared_ptr<Door>& door, const Status& status);
  void input_gave_up(const std::shared_ptr<Door>& door, const std::string& name);
  void input_failed(const std::shared_ptr<Door>& door, const std::string& why);
  void begin_stop(const std::string& why, int exit_status);
  void stop_when_inputs_ended();
  void trainer_stopped(const std::string& reason);
  void hurry();
  void check_for_success();
  void finish_when_flushed();

  Configuration configuration_;
  const Configuration
      started_;  // as it was at the start, for the trainer's thread: SIGHUP replaces the other
  const std::vector<std::string> arguments_;
  std::shared_ptr<const TableForm> table_form_;  // of the table that was learned from, as open() found it
  Prepared prepared_;
  Entrance entrance_;  // before io_: handlers that io_ still holds at the end give their connections back

  boost::asio::io_context io_{1};
  boost::asio::thread_pool worker_{1};    // writes checkpoints
  boost::asio::thread_pool renderer_{1};  // arithmetic of small requests
  LargeJobs jobs_;                        // large requests and answers
  boost::asio::signal_set signals_{io_};
  const OperationMemory signalled_;
  boost::asio::steady_timer flush_timer_{io_};

  BlockQueue queue_;
  ReplyWriter replies_;
  Checkpointer checkpointer_;
  CheckpointDesk checkpoint_desk_;
  CheckpointSchedule checkpoint_schedule_{io_, checkpointer_};
  Upkeep upkeep_{io_, queue_, renderer_};
  std::vector<std::shared_ptr<Door>> doors_;
  std::shared_ptr<Door> http_door_;
  StreamServer stream_server_;
  Inputs inputs_{io_, queue_, replies_};
  std::unique_ptr<ModelSolver> solver_;              // none: the learner keeps its model itself
  std::unique_ptr<JudgeWorker> judges_;              // none: the same of the models that judge
  std::unique_ptr<ReadingThreads> reading_threads_;  // none: the trainer reads all itself
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<FleetRuntime> fleet_;            // none: it is no part of one
  std::unique_ptr<CheckpointModels> checkpoints_;  // none: there is no folder of them, or no HTTP door
  std::unique_ptr<Page> page_;                     // none: --page off, or no HTTP door
  std::unique_ptr<HttpApi> api_;
  std::unique_ptr<HttpServer> http_server_;
  std::optional<TrainingLog> log_;
  bool stopping_ = false;
  std::shared_ptr<Feed> named_input_;  // --stdin-source
  int exit_status_ = 0;
  std::vector<std::pair<std::shared_ptr<Door>, Status>> failed_inputs_;  // before run()
  bool inputs_have_ended_ = false;                                       // by themselves
  bool ended_by_inputs_ = false;
  bool hurried_ = false;   // a signal asked for the end
  bool flushing_ = false;  // the trainer has ended
  std::chrono::steady_clock::time_point connections_deadline_{};
  std::chrono::steady_clock::time_point replies_deadline_ = std::chrono::steady_clock::time_point::max();
  std::uint64_t records_at_start_ = 0;
};

}  // namespace glimpse
