// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.api;

import java.nio.ByteBuffer;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.server.Request;

/** A request whose body is in memory, and can be read again without waiting. */
final class ReadRequest extends Request.Wrapper {
  private final Content.Source body;
  private final long length;

  ReadRequest(Request request, RequestBody body) {
    super(request);
    this.body = new ByteBufferContentSource(ByteBuffer.wrap(body.bytes()));
    this.length = body.bytes().length;
    setAttribute(RequestBody.ATTRIBUTE, body);
  }

  @Override
  public long getLength() {
    return length;
  }

  @Override
  public Content.Chunk read() {
    return body.read();
  }

  @Override
  public void demand(Runnable whenThere) {
    body.demand(whenThere);
  }

  @Override
  public void fail(Throwable failure) {
    body.fail(failure);
    super.fail(failure);
  }

  @Override
  public boolean consumeAvailable() {
    return true;
  }
}
