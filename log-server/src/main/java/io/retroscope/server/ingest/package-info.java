/**
 * The decoding of requests into submissions to the store. {@code BatchReader} decodes a body under
 * the server's limits and charges its memory ({@code ChargedInputStream}) before it is allocated.
 */
@NullMarked
package io.retroscope.server.ingest;

import org.jspecify.annotations.NullMarked;
