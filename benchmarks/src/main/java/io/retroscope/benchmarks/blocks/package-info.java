/** Benchmarks of packed columns, of the merge of arrived blocks, and of sealing. */
@NullMarked
package io.retroscope.benchmarks.blocks;

import org.jspecify.annotations.NullMarked;
