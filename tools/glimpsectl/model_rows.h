#pragma once

#include "glimpsectl/command_table.h"

namespace glimpse::ctl {

/// Rows of the commands that ask for models, moments and predictions.
CommandRow model_row();
CommandRow moments_row();
CommandRow predict_row();

/// What several rows have: the model of a checkpoint in place of the newest, one of several labels, and the
/// format of examples.
CommandOption checkpoint_row(const char* sentence);
CommandOption label_row(const char* sentence);
CommandOption examples_format(const char* standard);

}  // namespace glimpse::ctl
