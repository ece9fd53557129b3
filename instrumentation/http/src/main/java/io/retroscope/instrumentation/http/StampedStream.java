// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.http;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The stream of a {@link StampedResponse}, which is stamped before its first byte. */
final class StampedStream extends ServletOutputStream {
  private final ServletOutputStream actual;
  private final StampedResponse response;

  StampedStream(ServletOutputStream actual, StampedResponse response) {
    this.actual = actual;
    this.response = response;
  }

  ServletOutputStream actual() {
    return actual;
  }

  @Override
  public void write(int oneByte) throws IOException {
    response.stamp();
    actual.write(oneByte);
  }

  @Override
  public void write(byte[] bytes) throws IOException {
    response.stamp();
    actual.write(bytes);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    response.stamp();
    actual.write(bytes, offset, length);
  }

  @Override
  public void write(ByteBuffer bytes) throws IOException {
    response.stamp();
    actual.write(bytes);
  }

  /** Containers encode texts in their own way; all other print methods call this one. */
  @Override
  public void print(String text) throws IOException {
    response.stamp();
    actual.print(text);
  }

  @Override
  public void println() throws IOException {
    response.stamp();
    actual.println();
  }

  @Override
  public void flush() throws IOException {
    response.stamp();
    actual.flush();
  }

  @Override
  public void close() throws IOException {
    response.stamp();
    actual.close();
  }

  @Override
  public boolean isReady() {
    return actual.isReady();
  }

  @Override
  public void setWriteListener(WriteListener listener) {
    actual.setWriteListener(listener);
  }
}
