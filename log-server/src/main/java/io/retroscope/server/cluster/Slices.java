// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.server.live.PartitionException;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.core.JacksonException;

/** The slices that this server walks for the queries of other servers. Thread-safe. */
public final class Slices {
  /** The path of slices, at each server. */
  public static final String PATH = "/v1/cluster/slices";

  /** The media type of the answers. */
  public static final String MEDIA_TYPE = "application/vnd.retroscope.slice";

  private final String topicId;
  private final Opener opener;
  private final AtomicInteger running = new AtomicInteger();

  /** Opens views of all partitions. */
  interface Opener {
    /** A view that contains the records of each partition before an offset. */
    EventSource.View open(SliceOpening wanted);
  }

  Slices(String topicId, Opener opener) {
    this.topicId = topicId;
    this.opener = opener;
  }

  /** The walk of one slice, which must be run or closed. */
  public interface Walk extends AutoCloseable {
    /**
     * Walks the slice.
     *
     * @param out receives the answer, without its end if the slice cannot be walked to its end
     */
    void run(OutputStream out) throws IOException;

    @Override
    void close();
  }

  /**
   * Begins the walk of a slice. As many may run as the engine's queries have threads each.
   *
   * @param request as JSON
   * @throws Readings.RefusedException if too many run, or the request cannot be understood; another
   *     server walks the slice then
   */
  public Walk begin(byte[] request, QueryEngine engine) throws Readings.RefusedException {
    SliceOpening wanted = parse(request);
    if (!wanted.topicId().equals(topicId)) {
      throw new Readings.RefusedException(409, "this server reads another topic");
    }
    EventSource.View view = entered(wanted, engine.limits().walkThreads());
    return new Walk() {
      @Override
      public void run(OutputStream out) throws IOException {
        engine.walkSlice(wanted.slice(), view, out);
      }

      @Override
      public void close() {
        view.close();
        running.decrementAndGet();
      }
    };
  }

  private EventSource.View entered(SliceOpening wanted, int most) throws Readings.RefusedException {
    boolean isOpen = false;
    try {
      if (running.incrementAndGet() > most) {
        throw new Readings.RefusedException(503, "slices of other queries are walked here");
      }
      EventSource.View view = opener.open(wanted);
      isOpen = true;
      return view;
    } catch (PartitionException e) {
      throw new Readings.RefusedException(503, String.valueOf(e.getMessage()));
    } finally {
      if (!isOpen) {
        running.decrementAndGet();
      }
    }
  }

  private static SliceOpening parse(byte[] request) throws Readings.RefusedException {
    try {
      return ClusterJson.MAPPER.readValue(request, SliceOpening.class);
    } catch (JacksonException e) {
      throw new Readings.RefusedException(
          400, "the request is of another version of Retroscope: run one version on all servers");
    }
  }
}
