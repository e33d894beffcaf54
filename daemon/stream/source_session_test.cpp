#include "daemon/stream/source_session.h"

#include <doctest/doctest.h>

namespace source_session_test {

using namespace glimpse;

TEST_CASE("a checkpoint is wanted once half of the peer's memory is not durable") {
  SourceSession session;
  session.open(0, 0, 100);
  CHECK_FALSE(session.wants_checkpoint(false));
  session.note_inside(4, 49);
  CHECK_FALSE(session.wants_checkpoint(false));
  CHECK(session.wants_checkpoint(true));
  session.note_inside(5, 1);
  CHECK(session.wants_checkpoint(false));
}

TEST_CASE("what a checkpoint holds counts no more, and what came in while it was written does") {
  SourceSession session;
  session.open(0, 0, 100);
  session.note_inside(5, 60);
  session.note_checkpoint();
  session.note_inside(8, 30);
  CHECK(session.note_durable(5) == "durable 5\n");
  CHECK_FALSE(session.wants_checkpoint(false));
  session.note_inside(9, 20);
  CHECK(session.wants_checkpoint(false));
  CHECK(session.note_durable(9) == "durable 9\n");  // one that nobody asked for
  CHECK_FALSE(session.wants_checkpoint(true));
  session.note_inside(10, 49);
  CHECK_FALSE(session.wants_checkpoint(false));
}

TEST_CASE("an older checkpoint than the one that was asked for is not taken for it") {
  SourceSession session;
  session.open(0, 0, 100);
  session.note_inside(5, 60);
  session.note_checkpoint();
  session.note_durable(4);
  CHECK(session.wants_checkpoint(false));
}

TEST_CASE("what an earlier connection left not durable may fill the memory") {
  SourceSession session;
  session.open(7, 3, 100);
  CHECK(session.wants_checkpoint(false));
  session.note_checkpoint();
  session.note_durable(7);
  CHECK_FALSE(session.wants_checkpoint(false));
  SourceSession up_to_date;
  up_to_date.open(7, 7, 100);
  CHECK_FALSE(up_to_date.wants_checkpoint(false));
}

TEST_CASE("a byte of memory is enough, and none asks for nothing before the end") {
  SourceSession least;
  least.open(0, 0, 1);
  least.note_inside(1, 1);
  CHECK(least.wants_checkpoint(false));
  SourceSession none;
  none.open(0, 0, 0);
  none.note_inside(1, 1 << 30);
  CHECK_FALSE(none.wants_checkpoint(false));
  CHECK(none.wants_checkpoint(true));
  SourceSession most;
  most.open(3, 0, ~std::uint64_t{0});
  CHECK(most.wants_checkpoint(false));
}

TEST_CASE("a peer that does not know of it is told nothing of checkpoints") {
  SourceSession silent;
  silent.open(0, 0);
  silent.note_inside(1, 1 << 30);
  CHECK_FALSE(silent.wants_checkpoint(false));
  CHECK(silent.note_pending().empty());
  CHECK(silent.note_failed("full").empty());
  SourceSession told;
  told.open(0, 0, 0);
  CHECK(told.note_pending() == "checkpoint pending\n");
  CHECK(told.note_failed("a\nb") == "checkpoint failed: a b\n");
}

}  // namespace source_session_test
