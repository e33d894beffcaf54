# cmake -DOUTPUT=FILE -DFILES=A|B -P embed.cmake: writes C++ source that holds the files of the page (page_assets.h):
# its modules as one script, page.js; its style sheets as one, page.css; the others as they are.
# The build has a C++ compiler and CMake alone; so does this.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/join.cmake)
string(REPLACE "|" ";" files "${FILES}")
set(modules "")
set(style "")
set(arrays "")
set(rows "")
set(number 0)

macro(embed name hex)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kBytes${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kBytes${number}), sizeof(kBytes${number})}},\n")
  math(EXPR number "${number} + 1")
endmacro()

foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  if(file MATCHES "/assets/[^/]*\\.js$")
    list(APPEND modules ${file})
  elseif(name MATCHES "\\.css$")
    file(READ ${file} text)
    string(APPEND style "${text}\n")
  else()
    file(READ ${file} hex HEX)
    embed(${name} ${hex})
  endif()
endforeach()
join_modules(script ${modules})
string(HEX "${script}" hex)
embed(page.js ${hex})
string(HEX "${style}" hex)
embed(page.css ${hex})

file(WRITE ${OUTPUT} "#include \"daemon/page/page_assets.h\"

namespace glimpse {

namespace {
${arrays}}  // namespace

const std::vector<PageAsset>& page_assets() {
  static const std::vector<PageAsset> assets{
${rows}  };
  return assets;
}

}  // namespace glimpse
")
