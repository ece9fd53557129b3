// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import java.util.Arrays;

/** The tag of an answer's content, by which a client has it already. */
final class EntityTag {
  private EntityTag() {}

  /** Whether the client has sent a tag, among others, in {@code If-None-Match}. */
  static boolean isKnown(Context context, String tag) {
    String known = context.header("If-None-Match");
    return known != null
        && Arrays.stream(known.split(",", -1))
            .map(String::strip)
            .map(one -> one.startsWith("W/") ? one.substring(2) : one)
            .anyMatch(one -> one.equals(tag) || one.equals("*"));
  }
}
