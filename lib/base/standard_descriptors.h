#pragma once

namespace glimpse {

/// Opens those of standard input, output and error that are closed, so that no file or socket gets their
/// number, and with it log lines and predictions. Reading and writing them fails, as it did. For main(),
/// before it opens anything.
void hold_standard_descriptors();

}  // namespace glimpse
