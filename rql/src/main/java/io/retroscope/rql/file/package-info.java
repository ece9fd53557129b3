/**
 * Files of events of any size, as a source of events.
 *
 * <p>{@link io.retroscope.rql.file.SealedConversion} turns events into a {@link
 * io.retroscope.blocks.sealed.SealedFile}, and {@link io.retroscope.rql.file.SealedFileSource}
 * reads it as walks need it. Only the index of the blocks and a summary of the nodes are in memory.
 * {@link io.retroscope.rql.file.OutputFile} writes the files that users name.
 */
@NullMarked
package io.retroscope.rql.file;

import org.jspecify.annotations.NullMarked;
