// SPDX-License-Identifier: Apache-2.0
/**
 * Files of events of any size, as a source of events.
 *
 * <p>{@link io.retroscope.recordings.file.SealedConversion} turns events into a {@link
 * io.retroscope.blocks.sealed.SealedFile}, and {@link
 * io.retroscope.recordings.file.SealedFileSource} reads it as walks need it. Only the index of the
 * blocks and a summary of the nodes are in memory.
 */
@NullMarked
package io.retroscope.recordings.file;

import org.jspecify.annotations.NullMarked;
