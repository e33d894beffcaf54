#include "daemon/api/checkpoint_server.h"

#include <utility>

namespace glimpse {

namespace {

constexpr std::size_t kQueueBytes = std::size_t{1}
                                    << 20;  // of blocks, of which none come: requests are tasks

std::shared_ptr<Door> door_of(const std::string& name) {
  auto door = std::make_shared<Door>();
  door->name = name;
  door->kind = "http";
  return door;
}

}  // namespace

CheckpointServer::CheckpointServer(RestoredModel model, const HttpApi::Parts& main, MakeFeed make_feed)
    : model_(std::move(model)),
      queue_(kQueueBytes),
      door_(door_of(model_.name)),
      trainer_(*model_.processor, queue_, nullptr, nullptr, {door_}, false, {}),
      checkpointer_(nullptr, {}, {}, queue_, main.renderer),
      api_({main.io,
            main.renderer,
            main.jobs,
            queue_,
            trainer_,
            nullptr,
            checkpointer_,
            main.connections,
            [door = door_, make = std::move(make_feed)](StreamProcessor& processor, const BodyReading& body) {
              return make(processor, door, body);
            },
            door_,
            main.plan_ttl,
            main.labels,
            nullptr,
            {},
            {},
            model_.written_at}) {
  trainer_.start();
}

CheckpointServer::~CheckpointServer() { stop(); }

void CheckpointServer::stop() {
  queue_.close();
  trainer_.join();
}

void CheckpointServer::answer(const std::shared_ptr<CheckpointServer>& self, HttpRequest request,
                              Respond respond) {
  self->api_.route(std::move(request), [self, respond = std::move(respond)](HttpResponse response) {
    response.headers.emplace_back("Glimpse-Checkpoint", self->model_.name);
    respond(std::move(response));
  });
}

}  // namespace glimpse
