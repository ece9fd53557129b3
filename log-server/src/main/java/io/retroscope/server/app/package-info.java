/** The log server as a whole. */
@NullMarked
package io.retroscope.server.app;

import org.jspecify.annotations.NullMarked;
