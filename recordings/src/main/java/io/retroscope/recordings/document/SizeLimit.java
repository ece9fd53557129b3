// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recordings.document;

/** A limit of the memory that the contents of documents take. Used by one thread. */
@FunctionalInterface
public interface SizeLimit {
  /**
   * Counts memory that is about to be taken.
   *
   * @throws RuntimeException if it is too much; nothing of the document is used then
   */
  void add(long bytes);

  /**
   * A limit for documents that are held in this process.
   *
   * @throws DocumentException from {@link #add}
   */
  static SizeLimit ofProcess() {
    long max = Runtime.getRuntime().maxMemory() / 3;
    long[] sum = {0};
    return bytes -> {
      sum[0] += bytes;
      if (sum[0] > max) {
        throw DocumentException.of(
            "traces, histories and series are held in memory, and these take more than %d MiB: give fewer files, or RETROSCOPE_JAVA_OPTS=-Xmx... more memory"
                .formatted(max >> 20));
      }
    };
  }
}
