package io.retroscope.server.api;

import io.javalin.http.Context;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Reads a statement from a request's body. */
final class StatementBody {
  /** The media types of a statement. */
  static final List<String> MEDIA_TYPES = List.of("application/rql", "application/json");

  private StatementBody() {}

  /**
   * The body as text.
   *
   * @throws ProblemException if it is not UTF-8
   */
  static String read(Context context) {
    byte[] bytes = RequestBody.of(context).bytes();
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw ProblemException.of(400, "The statement was refused", "the body is not valid UTF-8");
    }
  }
}
