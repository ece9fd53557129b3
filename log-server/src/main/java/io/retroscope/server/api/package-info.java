/** The HTTP API; nothing outside this package knows the web server behind it. */
@NullMarked
package io.retroscope.server.api;

import org.jspecify.annotations.NullMarked;
