/**
 * The rules on who may do what: names of the server, tokens with roles, quotas, certificates.
 * Nothing here knows HTTP beyond the texts of its headers.
 */
@NullMarked
package io.retroscope.server.access;

import org.jspecify.annotations.NullMarked;
