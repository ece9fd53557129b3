/** Files of events in the formats for import and export. */
@NullMarked
package io.retroscope.cli.file;

import org.jspecify.annotations.NullMarked;
