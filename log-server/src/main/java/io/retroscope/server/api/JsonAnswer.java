// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import io.javalin.http.Context;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/** A whole answer as JSON, which is packed if it is long and the client accepts that. */
final class JsonAnswer {
  private static final int SHORT_BYTES = 16 * 1024;

  private JsonAnswer() {}

  static void send(Context context, byte[] json) {
    context.contentType("application/json").header("Cache-Control", "no-store");
    if (json.length > SHORT_BYTES && ConsoleEndpoint.accepts(context, "gzip")) {
      context.header("Content-Encoding", "gzip").result(packed(json));
    } else {
      context.result(json);
    }
  }

  private static byte[] packed(byte[] json) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(json.length / 4);
    try (FastGzip out = new FastGzip(bytes)) {
      out.write(json);
    } catch (IOException e) {
      throw new AssertionError("memory can always be written", e);
    }
    return bytes.toByteArray();
  }

  /** The format of gzip with the least work. */
  private static final class FastGzip extends GZIPOutputStream {
    FastGzip(ByteArrayOutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_SPEED);
    }
  }
}
