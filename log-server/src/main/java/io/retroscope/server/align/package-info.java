/** Lines the nodes' clocks up from the events alone, with honest uncertainty. */
@NullMarked
package io.retroscope.server.align;

import org.jspecify.annotations.NullMarked;
