/**
 * The HTTP API. {@code HttpApi} joins the routes of all endpoints; {@code RequestIntake} reads
 * bodies and assigns threads; {@code Gate} checks each request; each endpoint is a class of its
 * own. Nothing outside this package depends on the web server.
 */
@NullMarked
package io.retroscope.server.api;

import org.jspecify.annotations.NullMarked;
