# cmake -DOUTPUT=FILE -DFILES=A|B -P embed.cmake: writes C++ source that holds the bytes of the files (page_assets.h).
# The build has a C++ compiler and CMake alone; so does this.
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(APPEND arrays "constexpr unsigned char kBytes${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", {reinterpret_cast<const char*>(kBytes${number}), sizeof(kBytes${number})}},\n")
  math(EXPR number "${number} + 1")
endforeach()
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
