// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import java.io.IOException;
import java.net.URI;

/** The way to the news of partitions at any server, this one included. Thread-safe. */
interface NewsSource {
  /**
   * Waits for news.
   *
   * @throws IOException if the server does not answer in time
   */
  NewsAnswer ask(URI server, NewsRequest request) throws IOException, InterruptedException;
}
