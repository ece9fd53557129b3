// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.store.run;

import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.Presence;
import io.retroscope.server.store.run.Lifetimes.Lifetime;
import io.retroscope.server.store.run.Lifetimes.Older;
import io.retroscope.server.store.run.Lifetimes.Own;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ranges of one node, of which those before its recent ones are read in pages as they are
 * needed. Used by one thread.
 */
final class NodeLifetimes implements Presence {
  private final String node;
  private final Own own;
  private final Older older;

  /** All ranges that begin from {@link #pageFrom} (inclusive) to {@link #pageTo} (exclusive). */
  private List<Lifetime> page = List.of();

  private long pageFrom;
  private long pageTo = Long.MIN_VALUE;

  NodeLifetimes(String node, Own own, Older older) {
    this.node = node;
    this.own = own;
    this.older = older;
  }

  @Override
  public String node() {
    return node;
  }

  /** The last range that begins at or before a stamp; null if there is none. */
  @Nullable Lifetime floor(long hlc) {
    if (!own.isOlder(hlc)) {
      return Lifetime.orNull(own.recent().floor(hlc));
    }
    if (hlc < own.first()) {
      return null;
    }
    int at = indexAbove(hlc) - 1;
    return at < 0 ? null : page.get(at);
  }

  /** The first range that begins above a stamp; null if there is none. */
  @Nullable Lifetime higher(long hlc) {
    if (own.isOlder(hlc)) {
      int at = indexAbove(hlc);
      if (at < page.size()) {
        return page.get(at);
      }
    }
    return Lifetime.orNull(own.recent().higher(hlc));
  }

  /** Reads the page of a stamp; returns the index in it of the first range that begins above. */
  private int indexAbove(long hlc) {
    if (hlc < pageFrom || hlc >= pageTo) {
      page = older.read(node, hlc, own.recentFrom());
      pageFrom = page.isEmpty() ? hlc : Math.min(hlc, page.get(0).range().from());
      pageTo =
          page.size() < Lifetimes.PAGE
              ? own.recentFrom()
              : page.get(page.size() - 1).range().from();
    }
    int low = 0;
    int high = page.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (page.get(middle).range().from() <= hlc) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  @Override
  public Optional<Stay> latest(long hlc) {
    return Optional.ofNullable(floor(hlc)).map(NodeLifetimes::stay);
  }

  @Override
  public Iterator<Stay> from(long hlc) {
    return new Iterator<>() {
      private @Nullable Lifetime next = hlc <= own.first() ? floor(own.first()) : higher(hlc - 1);

      @Override
      public boolean hasNext() {
        return next != null;
      }

      @Override
      public Stay next() {
        Lifetime present = next;
        if (present == null) {
          throw new NoSuchElementException("no later range of " + node);
        }
        next = higher(present.range().from());
        return stay(present);
      }
    };
  }

  private static Stay stay(Lifetime lifetime) {
    return new Stay(
        lifetime.range().from(),
        lifetime.range().to(),
        EventSource.assuredMicros(lifetime.promiseMicros()));
  }
}
