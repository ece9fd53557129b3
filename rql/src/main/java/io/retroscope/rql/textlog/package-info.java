/**
 * Text logs: their times, their formats, and the entries on their lines.
 *
 * <p>{@link io.retroscope.rql.textlog.FormatCatalog} has the formats, {@link
 * io.retroscope.rql.textlog.FormatChoice} selects those of a file by its content, and {@link
 * io.retroscope.rql.textlog.EntryReader} reads entries, which may have several lines.
 */
@NullMarked
package io.retroscope.rql.textlog;

import org.jspecify.annotations.NullMarked;
