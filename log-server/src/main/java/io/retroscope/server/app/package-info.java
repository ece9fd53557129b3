/**
 * The log server as a whole: {@code ServerConfig} describes it, and {@code LogServer} starts,
 * connects and closes its parts.
 */
@NullMarked
package io.retroscope.server.app;

import org.jspecify.annotations.NullMarked;
