/** The watermark, and the queries that follow it. */
@NullMarked
package io.retroscope.server.live;

import org.jspecify.annotations.NullMarked;
