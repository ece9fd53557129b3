/** The pictures of the pages, drawn from recordings and from results of benchmarks. */
@NullMarked
package io.retroscope.dist.picture;

import org.jspecify.annotations.NullMarked;
