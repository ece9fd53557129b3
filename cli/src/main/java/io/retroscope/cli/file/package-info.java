/** Files of events in the formats that come in and go out. */
@NullMarked
package io.retroscope.cli.file;

import org.jspecify.annotations.NullMarked;
