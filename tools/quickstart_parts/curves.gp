# The curves of tools/quickstart: as text, and with two pictures of the pixels as picture.svg and picture.png.
# Needs folder, task, and the numbers many, few and all of attributes that were looked at.
file(name) = folder."/".name.".csv"
chosen(budget) = sprintf("%d of %d, chosen", budget, all)
uniform(budget) = sprintf("%d, uniformly", budget)
many_chosen = file(sprintf("chosen-%d", many))
many_uniform = file(sprintf("uniform-%d", many))
few_chosen = file(sprintf("chosen-%d", few))
few_uniform = file(sprintf("uniform-%d", few))
whole = file("all")
all_title = sprintf("all %d", all)

set datafile separator ","
set logscale x
set yrange [0:*]
set xlabel 'attributes looked at'
set ylabel 'test loss / loss of zero'
set format x '%.0s%c'
set grid

set terminal dumb size 100, 30
set key below
plot many_chosen every ::1 using 2:3 with linespoints title chosen(many), \
  many_uniform every ::1 using 2:3 with linespoints title uniform(many), \
  few_chosen every ::1 using 2:3 with linespoints title chosen(few), \
  few_uniform every ::1 using 2:3 with linespoints title uniform(few), \
  whole every ::1 using 2:3 with linespoints title all_title

set key inside bottom left Left reverse maxrows 6
do for [kind in "svg png"] {
  if (kind eq "svg") { set terminal svg size 1080, 460 background 'white' }
  if (kind eq "png") { set terminal pngcairo size 1080, 460 }
  set output folder."/picture.".kind
  set multiplot title task
  set origin 0, 0
  set size .58, .94
  plot many_chosen every ::1 using 2:3 with lines lw 3 lc rgb '#0060ad' title chosen(many), \
    many_uniform every ::1 using 2:3 with lines lw 2 dt 2 lc rgb '#0060ad' title uniform(many), \
    few_chosen every ::1 using 2:3 with lines lw 3 lc rgb '#c04000' title chosen(few), \
    few_uniform every ::1 using 2:3 with lines lw 2 dt 2 lc rgb '#c04000' title uniform(few), \
    whole every ::1 using 2:3 with lines lw 2 lc rgb '#606060' title all_title, \
    folder."/switches.txt" using 1:2 with points pt 7 ps 1.2 lc rgb 'black' title 'chosen from here on'

  # Pixels, row 0 on top.
  set datafile separator whitespace
  unset logscale
  unset xlabel
  unset ylabel
  unset tics
  unset key
  unset grid
  unset colorbox
  set yrange [27.5:-.5]
  set xrange [-.5:27.5]
  set size ratio 1
  set origin .58, .05
  set size .215, .85
  set title 'an average digit'
  set palette defined (0 '#ffffff', 1 '#000000')
  plot folder."/mean.txt" matrix with image pixels
  set origin .785, .05
  set size .215, .85
  set title 'where it looked'
  set palette defined (0 '#ffffff', .3 '#9ecae1', 1 '#08306b')
  plot folder."/looks.txt" matrix with image pixels
  unset multiplot
  unset output

  set datafile separator ","
  set size noratio 1, 1
  set origin 0, 0
  unset title
  set autoscale x
  set yrange [0:*]
  set logscale x
  set xlabel 'attributes looked at'
  set ylabel 'test loss / loss of zero'
  set xtics
  set ytics
  set grid
  set key inside bottom left Left reverse maxrows 6
}
