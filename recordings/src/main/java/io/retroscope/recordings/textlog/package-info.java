// SPDX-License-Identifier: Apache-2.0
/**
 * Text logs: their times, their formats, and the entries on their lines.
 *
 * <p>{@link io.retroscope.recordings.textlog.FormatCatalog} has the formats, {@link
 * io.retroscope.recordings.textlog.FormatChoice} selects those of a file by its content, and {@link
 * io.retroscope.recordings.textlog.EntryReader} reads entries, which may have several lines.
 */
@NullMarked
package io.retroscope.recordings.textlog;

import org.jspecify.annotations.NullMarked;
