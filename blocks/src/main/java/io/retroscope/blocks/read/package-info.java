/**
 * The reading of sealed blocks.
 *
 * <p>{@link io.retroscope.blocks.read.SealedBlockReader} opens a block: it checks the head, and
 * finds the {@code Section}s. A {@link io.retroscope.blocks.read.SealedBlock} decodes a section
 * when its columns are first needed, and checks it then. A query reads the rows of one variable as
 * {@code SectionColumns}, in arrays that it lends ({@link io.retroscope.blocks.read.ColumnMemory});
 * every other reader, and every irregular block, uses {@code SealedRows}.
 *
 * <p>Input is not trusted. A damaged section results in an exception for the block, never in other
 * rows.
 */
@NullMarked
package io.retroscope.blocks.read;

import org.jspecify.annotations.NullMarked;
