/**
 * The access rules of a server: its names, tokens with roles, quotas and certificates. {@code
 * AccessControl} combines them. Nothing here depends on HTTP except for the format of headers.
 */
@NullMarked
package io.retroscope.server.access;

import org.jspecify.annotations.NullMarked;
