// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.server.memory.MemoryBudget.Charge;
import jakarta.servlet.http.HttpServletRequest;

/**
 * The body of a request, which was read before a thread was assigned to it.
 *
 * @param bytes must not be modified
 * @param charge counts the bytes, and is closed with the request
 */
@SuppressWarnings("ArrayRecordComponent") // Handed over without copying; never compared.
record RequestBody(byte[] bytes, Charge charge) {
  static final String ATTRIBUTE = RequestBody.class.getName();

  /** The body of the request that a handler answers. */
  static RequestBody of(Context context) {
    HttpServletRequest request = context.req();
    if (request.getAttribute(ATTRIBUTE) instanceof RequestBody body) {
      return body;
    }
    throw new AssertionError("the body of " + request.getRequestURI() + " was not read");
  }
}
