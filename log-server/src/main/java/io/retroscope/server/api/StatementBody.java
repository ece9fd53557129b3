// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import io.retroscope.event.Value.StringValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.json.JsonValues;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A reader of a statement in a request's body. */
final class StatementBody {
  /** The media types of a statement. */
  static final List<String> MEDIA_TYPES = List.of("application/rql", "application/json");

  private StatementBody() {}

  /**
   * The statement: the body itself, or the field {@code query} of a body that is JSON.
   *
   * @throws ProblemException if it is not UTF-8, or JSON without that field
   */
  static String read(Context context) {
    byte[] bytes = RequestBody.of(context).bytes();
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return isJson(context) ? statement(text) : text;
    } catch (CharacterCodingException e) {
      throw ProblemException.of(400, "The statement was refused", "the body is not valid UTF-8");
    }
  }

  private static boolean isJson(Context context) {
    String type = context.req().getContentType();
    return type != null && type.split(";", 2)[0].strip().equalsIgnoreCase("application/json");
  }

  private static String statement(String json) {
    try {
      if (JsonValues.parse(json) instanceof StructValue object
          && object.fields().get("query") instanceof StringValue query) {
        return query.value();
      }
    } catch (IllegalArgumentException e) {
      // Handled below, as for other invalid bodies.
    }
    throw ProblemException.of(
        400, "The statement was refused", "a body of JSON must be like {\"query\":\"SELECT ...\"}");
  }
}
