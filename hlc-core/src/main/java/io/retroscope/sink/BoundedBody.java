// SPDX-License-Identifier: Apache-2.0
package io.retroscope.sink;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The beginning of a response body as text; the rest of a longer body is not read. */
final class BoundedBody implements HttpResponse.BodySubscriber<String> {
  static final int MAX_BYTES = 16 << 10;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final CompletableFuture<String> body = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  @Override
  public CompletionStage<String> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription from) {
    subscription = from;
    from.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      byte[] part = new byte[Math.min(buffer.remaining(), MAX_BYTES - bytes.size())];
      buffer.get(part);
      bytes.writeBytes(part);
    }
    if (bytes.size() >= MAX_BYTES) {
      if (subscription != null) {
        subscription.cancel();
      }
      onComplete();
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    body.complete(bytes.toString(StandardCharsets.UTF_8));
  }
}
