/**
 * Several log servers over one topic of events.
 *
 * <p>{@code Cluster} starts Kafka Streams, which decides which server keeps which partition and
 * where its copy is. {@code PartitionStore} is the state store of a partition: an event store of
 * its own, restored from the topic. {@code ClusterSource} opens a {@code MergedView} of all
 * partitions, each of which is a {@code StoredPart} here or a {@code RemotePart} at another server,
 * whose {@code Readings} answer it. Events are exchanged as {@code Piece}s.
 */
@NullMarked
package io.retroscope.server.cluster;

import org.jspecify.annotations.NullMarked;
