/** Events, their values, and the column blocks in which they are shipped, stored and scanned. */
@NullMarked
package io.retroscope.event;

import org.jspecify.annotations.NullMarked;
