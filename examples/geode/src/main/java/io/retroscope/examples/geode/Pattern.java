// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.geode;

import java.util.Locale;
import java.util.Set;
import org.apache.geode.cache.Cache;
import org.apache.geode.cache.CacheListener;
import org.apache.geode.cache.EntryOperation;
import org.apache.geode.cache.FixedPartitionAttributes;
import org.apache.geode.cache.FixedPartitionResolver;
import org.apache.geode.cache.InterestPolicy;
import org.apache.geode.cache.PartitionAttributesFactory;
import org.apache.geode.cache.RegionFactory;
import org.apache.geode.cache.RegionShortcut;
import org.apache.geode.cache.Scope;
import org.apache.geode.cache.SubscriptionAttributes;

/**
 * The ways in which a message from a client to {@link GeodeScene#CONTACT} gets its version and
 * reaches three servers. Each has a region.
 */
enum Pattern {
  /** The server gives the version, sends the message to the others, and does not wait. */
  NO_WAIT,
  /** The same, and waits for both others. */
  REPLICATE,
  /** The server is the primary of a partition: it gives the version, and waits for its copies. */
  PRIMARY,
  /** Another server is the primary: the message is forwarded to it first. */
  FORWARDED,
  /** The version is given when the client commits a transaction. */
  TRANSACTION;

  private static final String PARTITION = "all";
  private static final String OTHER_PRIMARY = "g2";

  /** The name of its region. */
  String regionName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Creates the region at a server. */
  void create(Cache cache, String node, CacheListener<String, String> listener) {
    RegionFactory<String, String> factory =
        switch (this) {
          case NO_WAIT ->
              cache
                  .<String, String>createRegionFactory(RegionShortcut.REPLICATE)
                  .setScope(Scope.DISTRIBUTED_NO_ACK);
          case REPLICATE, TRANSACTION -> cache.createRegionFactory(RegionShortcut.REPLICATE);
          case PRIMARY -> partition(cache, node.equals(GeodeScene.CONTACT));
          case FORWARDED -> partition(cache, node.equals(OTHER_PRIMARY));
        };
    factory.addCacheListener(listener).create(regionName());
  }

  /** One partition with a copy at each of three servers. */
  private static RegionFactory<String, String> partition(Cache cache, boolean isPrimary) {
    return cache
        .<String, String>createRegionFactory(RegionShortcut.PARTITION)
        .setSubscriptionAttributes(new SubscriptionAttributes(InterestPolicy.ALL))
        .setPartitionAttributes(
            new PartitionAttributesFactory<String, String>()
                .setTotalNumBuckets(1)
                .setRedundantCopies(2)
                .setPartitionResolver(new OnePartition())
                .addFixedPartitionAttributes(
                    FixedPartitionAttributes.createFixedPartition(PARTITION, isPrimary, 1))
                .create());
  }

  /** All keys are in one partition, so that its primary is known. */
  private static final class OnePartition implements FixedPartitionResolver<String, String> {
    @Override
    public String getPartitionName(EntryOperation<String, String> operation, Set<String> names) {
      return PARTITION;
    }

    @Override
    public Object getRoutingObject(EntryOperation<String, String> operation) {
      return PARTITION;
    }

    @Override
    public String getName() {
      return "one-partition";
    }
  }
}
