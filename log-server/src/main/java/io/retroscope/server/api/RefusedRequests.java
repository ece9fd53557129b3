// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.retroscope.rql.json.ProblemJson;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * The problem documents of requests that the web server refuses itself, because they are not HTTP
 * or exceed its limits. Thread-safe.
 */
final class RefusedRequests implements Request.Handler {
  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    int status = response.getStatus();
    byte[] problem =
        ProblemJson.text(status, HttpStatus.getMessage(status), detail(status))
            .getBytes(StandardCharsets.UTF_8);
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, ProblemJson.MEDIA_TYPE);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, problem.length);
    response.write(true, ByteBuffer.wrap(problem), callback);
    return true;
  }

  private static String detail(int status) {
    return switch (status) {
      case 400 -> "the request is not valid HTTP";
      case 404 -> "nothing is here; see docs/format/http.md";
      case 413 -> "the body is too long";
      case 414 -> "the path and the query are too long: send the statement in the body of a POST";
      case 431 ->
          "the headers take more than %d bytes: send fewer or shorter ones"
              .formatted(WebServer.HEADER_BYTES);
      case 505 -> "the version of HTTP is not known here: use HTTP/1.1 or HTTP/2";
      default -> status < 500 ? "the request was refused" : "see the server's log";
    };
  }
}
