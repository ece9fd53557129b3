/** Tests of processes, links and runs, without a traced system. */
@NullMarked
package io.retroscope.examples.stage;

import org.jspecify.annotations.NullMarked;
