#pragma once

#include "glimpsectl/command_table.h"

namespace glimpse::ctl {

/// Rows of the commands that give examples to a daemon, or to a topic.
CommandRow learn_row();
CommandRow send_row();
CommandRow stream_row();

}  // namespace glimpse::ctl
