/** Connections to a log server: requests, uploads, downloads, and lines that are followed. */
@NullMarked
package io.retroscope.cli.connection;

import org.jspecify.annotations.NullMarked;
