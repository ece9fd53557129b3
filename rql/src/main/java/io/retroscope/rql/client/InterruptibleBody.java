// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A response body as a stream whose reads end when their thread is interrupted. Before Java 19, the
 * stream of the JDK's client ignored interrupts. Read by one thread.
 */
public final class InterruptibleBody extends InputStream
    implements HttpResponse.BodySubscriber<InputStream> {
  /*
   * Only one list of buffers is requested at a time, so the queue holds at most that list and the
   * end.
   */
  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();
  private final Optional<Duration> longestSilence;
  private final AtomicReference<Flow.@Nullable Subscription> subscription = new AtomicReference<>();
  private List<ByteBuffer> current = List.of();
  private int index;
  private boolean ended;

  /**
   * A part of the body.
   *
   * @param failure the error that ended the body; null for its proper end and for all parts before
   *     it
   */
  private record Part(List<ByteBuffer> buffers, boolean last, @Nullable Throwable failure) {}

  /**
   * Creates a body that has received nothing.
   *
   * @param longestSilence the time without data after which a read fails; empty for no limit
   */
  public InterruptibleBody(Optional<Duration> longestSilence) {
    this.longestSilence = longestSilence;
  }

  @Override
  public CompletionStage<InputStream> getBody() {
    return CompletableFuture.completedStage(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription given) {
    if (subscription.compareAndSet(null, given)) {
      given.request(1);
    } else {
      given.cancel();
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    parts.add(new Part(buffers, false, null));
  }

  @Override
  public void onError(Throwable failure) {
    parts.add(new Part(List.of(), true, failure));
  }

  @Override
  public void onComplete() {
    parts.add(new Part(List.of(), true, null));
  }

  @Override
  public int read() throws IOException {
    return await() ? current.get(index).get() & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!await()) {
      return -1;
    }
    ByteBuffer buffer = current.get(index);
    int count = Math.min(length, buffer.remaining());
    buffer.get(bytes, offset, count);
    return count;
  }

  @Override
  public int available() {
    return index < current.size() ? current.get(index).remaining() : 0;
  }

  /** Waits; returns whether there is a byte to read, rather than the end. */
  private boolean await() throws IOException {
    while (!ended) {
      while (index < current.size()) {
        if (current.get(index).hasRemaining()) {
          return true;
        }
        index++;
      }
      next();
    }
    return false;
  }

  private void next() throws IOException {
    Part part = take();
    if (part.failure != null) {
      throw new IOException("the response ended early: " + part.failure.getMessage(), part.failure);
    }
    ended = part.last;
    current = part.buffers;
    index = 0;
    Flow.Subscription source = subscription.get();
    if (!ended && source != null) {
      source.request(1);
    }
  }

  private Part take() throws IOException {
    try {
      if (longestSilence.isEmpty()) {
        return parts.take();
      }
      long millis = longestSilence.get().toMillis();
      Part part = parts.poll(millis, TimeUnit.MILLISECONDS);
      if (part == null) {
        throw new IOException("the response ended early: no data for " + millis + " ms");
      }
      return part;
    } catch (InterruptedException e) {
      throw new InterruptedIOException("interrupted while waiting for a response");
    }
  }

  @Override
  public void close() {
    Flow.Subscription source = subscription.get();
    if (source != null) {
      source.cancel();
    }
  }
}
