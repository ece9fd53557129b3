/** The comparison of two runs of one system, node by node. */
@NullMarked
package io.retroscope.cli.compare;

import org.jspecify.annotations.NullMarked;
