// SPDX-License-Identifier: Apache-2.0
/**
 * The sealing of rows into blocks, and files of sealed blocks.
 *
 * <p>{@link io.retroscope.blocks.sealed.Sealing} takes merged rows, cuts them into blocks between
 * two stamps, and writes each with its {@link io.retroscope.blocks.zone.SealedSummary}. Rows that
 * only set LONGs take a short way ({@code LongMerge}). A {@link
 * io.retroscope.blocks.sealed.RowDigest} shows that no event was lost or changed before arrived
 * blocks are deleted. {@link io.retroscope.blocks.sealed.SealedFile} holds the blocks of a history,
 * their zones and timelines in one file.
 */
@NullMarked
package io.retroscope.blocks.sealed;

import org.jspecify.annotations.NullMarked;
