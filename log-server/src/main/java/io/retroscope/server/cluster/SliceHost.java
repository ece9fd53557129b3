// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.Slicing;
import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;

/**
 * Another server that walks slices of a query.
 *
 * @param parts of the query's view
 */
record SliceHost(HttpPart.Server server, String topicId, Map<Integer, SliceOpening.Content> parts)
    implements Slicing.Host {
  /** The time until the head of an answer and between two parts of it. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final int BUFFER_BYTES = 64 << 10;

  @Override
  public InputStream walk(byte[] request) throws IOException, InterruptedException {
    InputStream body = server.post(Slices.PATH, new SliceOpening(topicId, parts, request), TIMEOUT);
    return new BufferedInputStream(new Watched(body), BUFFER_BYTES);
  }

  /** An answer that is closed if the server hangs. */
  private final class Watched extends FilterInputStream {
    Watched(InputStream body) {
      super(body);
    }

    @Override
    public int read(byte[] to, int from, int count) throws IOException {
      Watch wait = new Watch(server, TIMEOUT, () -> HttpPart.close(in));
      try (wait) {
        return in.read(to, from, count);
      }
    }
  }
}
